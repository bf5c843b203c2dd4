// A fake front page of the vendor's web app: loads its language, signs in, stores the session.
(async () => {
  document.body.dataset.bundle = 'front_page';
  if (localStorage.getItem('session')) {
    location.assign('/app');
    return;
  }
  for (const _ of ['probe', 'load']) {
    const language = await fetch('/app-resources/languages/en.json');
    if (!language.ok || !('translated' in (await language.json()))) throw new Error('no language');
  }
  const root = document.createElement('div');
  root.id = 'root';
  root.innerHTML =
    '<form><input name="email"><input name="password" type="password"><button>Sign in</button></form><p id="message"></p>';
  document.body.append(root);
  root.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const { email, password } = event.target.elements;
    const response = await fetch(`//${location.hostname}:${location.port}/api/tokens/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/plain, */*' },
      body: JSON.stringify({ user: { email: email.value, password: password.value } }),
    });
    const text = await response.text();
    root.querySelector('#message').textContent = response.status === 200 ? '' : text;
    if (response.status !== 200) return;
    localStorage.setItem('session', text);
    location.assign('/app');
  });
})();

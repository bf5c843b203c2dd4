// Shows the theme that was chosen in the console, or the system's. The frame of the viewer, which may not read the choice, gets it in its address.
(() => {
  function chosen() {
    try {
      return localStorage.getItem('theme');
    } catch {
      return new URLSearchParams(location.search).get('theme');
    }
  }
  const theme = chosen();
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const system = dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme === 'light' || theme === 'dark' ? theme : system;
  };
  dark.addEventListener('change', apply);
  apply();
})();

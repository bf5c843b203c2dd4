// Tells people that their browser is older than those of browsers.json. It may be unable to run the other scripts: this one has
// neither new syntax nor new functions.
// biome-ignore-all lint/complexity/useArrowFunction: it runs in old browsers
// biome-ignore-all lint/suspicious/noVar: it runs in old browsers
(function () {
  var sentences = {
    en: 'This browser is too old for Potager: parts of the page do not work. Please update it, or use another one.',
    fr: 'Ce navigateur est trop ancien pour Potager : des parties de la page ne fonctionnent pas. Mettez-le à jour, ou utilisez-en un autre.',
  };
  var language = /^fr/.test(navigator.language) ? 'fr' : 'en';

  function show() {
    var notice = document.createElement('p');
    notice.setAttribute('role', 'alert');
    notice.setAttribute('lang', language);
    notice.style.cssText = 'margin: 0; padding: 16px; background: #fbeccb; color: #1f241d; font-family: sans-serif';
    notice.appendChild(document.createTextNode(sentences[language]));
    document.body.insertBefore(notice, document.body.firstChild);
  }

  // The oldest Safari and Firefox that are meant have the former, and the oldest Chrome has the latter. Older ones do not.
  if (window.CompressionStream && window.CSS && CSS.supports('container-type', 'inline-size')) return;
  if (document.body) show();
  else document.addEventListener('DOMContentLoaded', show);
})();

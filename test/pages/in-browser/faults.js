// Gives the texts whose colour differs too little from what is behind them (4.5 : 1 is asked for), and what sticks out sideways.
(() => {
  const numbers = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    if (!element) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return numbers(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  const isShown = (element) =>
    element.offsetParent !== null &&
    !element.matches('noscript, .skip') &&
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
  const faults = [];
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element)) continue;
    const [brighter, darker] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a);
    const ratio = (brighter + 0.05) / (darker + 0.05);
    if (ratio < 4.5) faults.push(`${element.textContent.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push(`${scrollWidth - clientWidth} pixels stick out`);
  return faults;
})();

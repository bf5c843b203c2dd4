// Returns texts with a contrast below 4.5 : 1 (WCAG AA), and horizontal overflow.
(() => {
  const numbers = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = numbers(color).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    if (!element) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return numbers(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor;
  };
  const isShown = (element) =>
    element.offsetParent !== null &&
    !element.matches('noscript, .skip') &&
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
  const faults = [];
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element)) continue;
    const [brighter, darker] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))].sort(
      (a, b) => b - a,
    );
    const ratio = (brighter + 0.05) / (darker + 0.05);
    if (ratio < 4.5) faults.push(`${element.textContent.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push(`${scrollWidth - clientWidth} pixels of horizontal overflow`);
  return faults;
})();

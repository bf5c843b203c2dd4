import { Reply } from '../engine/route.ts';

/** The pictures that the webcam feeds of demo gardens name; a copy of the vendor's web app has its own. */
const demoWebcam = /^app-resources\/img\/demo_accounts\/(?:Genesis|Genesis_XL|Express|Express_XL)_Demo_Webcam\.jpe?g$/i;

const width = 640;
const height = 480;

/** The crops of the rows, from the back to the front: the color and the radius of a plant. */
const rows = [
  ['#4f7d3a', 9],
  ['#6f9f4c', 12],
  ['#8a3f4f', 13],
  ['#7fb35a', 16],
  ['#5b8f46', 20],
] as const;

/** Draws one row of plants, larger the nearer it is. */
function drawRow([color, radius]: (typeof rows)[number], index: number): string {
  const y = 205 + index * 48;
  const left = 130 - index * 22;
  const gap = (width - 2 * left) / 9;
  return Array.from({ length: 10 }, (_, i) => {
    const [x, r] = [Math.round(left + i * gap), radius + ((i * 7 + index * 3) % 4)];
    return `<ellipse cx="${x}" cy="${y + 6}" rx="${r + 3}" ry="${Math.round(r / 3)}" fill="#4a3423"/><circle cx="${x}" cy="${y - 4}" r="${r}" fill="${color}"/><circle cx="${x - 3}" cy="${y - 8}" r="${Math.round(r / 2)}" fill="#fff" opacity=".15"/>`;
  }).join('');
}

/** A raised bed with a gantry, seen from above and in front. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="${width}" height="160" fill="#cfe3ee"/><rect y="150" width="${width}" height="330" fill="#9db97c"/>
<path d="M120 170H520L630 455H10Z" fill="#8d6a48"/><path d="M132 180H508L604 440H36Z" fill="#5b412d"/>
${rows.map(drawRow).join('\n')}
<path d="M78 300V120H562V300" fill="none" stroke="#c9ced3" stroke-width="14"/><rect x="290" y="104" width="46" height="120" rx="6" fill="#e3e7ea"/><rect x="306" y="220" width="14" height="34" fill="#8f979e"/>
</svg>
`;

const reply = new Reply(picture, 'image/svg+xml', 200, {
  'cache-control': 'public, max-age=86400',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
});

/** Returns the picture of a demo garden's webcam for its path (without the leading slash), or null for other paths. [rule S10] */
export const demoWebcamReply = (path: string): Reply | null => (demoWebcam.test(path) ? reply : null);

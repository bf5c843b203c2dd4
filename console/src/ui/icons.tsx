import { icons } from '@iconify-json/lucide/icons.json';
import type { ReactElement, SVGProps } from 'react';

/** A picture beside a label, which programs that read pages aloud skip unless it has a label of its own. */
export type Icon = (props: SVGProps<SVGSVGElement> & { readonly size?: number }) => ReactElement;

/** Returns an icon of Lucide by its name there. `lucide-icons.ts` leaves the others out of the build. */
function icon(name: keyof typeof icons): Icon {
  const shapes = { __html: icons[name].body };
  return ({ size = 24, ...props }) => (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden={props['aria-label'] ? undefined : true}
      {...props}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: shapes of a package, which no user writes
      dangerouslySetInnerHTML={shapes}
    />
  );
}

export const Activity = icon('activity');
export const ArrowDown = icon('arrow-down');
export const ArrowDownToLine = icon('arrow-down-to-line');
export const ArrowLeft = icon('arrow-left');
export const ArrowRight = icon('arrow-right');
export const ArrowUp = icon('arrow-up');
export const ArrowUpFromLine = icon('arrow-up-from-line');
export const Bell = icon('bell');
export const Bookmark = icon('bookmark');
export const Bot = icon('bot');
export const BoxSelect = icon('square-dashed');
export const Boxes = icon('boxes');
export const Bug = icon('bug');
export const Cable = icon('cable');
export const CalendarClock = icon('calendar-clock');
export const CalendarDays = icon('calendar-days');
export const Camera = icon('camera');
export const ChartSpline = icon('chart-spline');
export const Check = icon('check');
export const ChevronDown = icon('chevron-down');
export const ChevronLeft = icon('chevron-left');
export const ChevronRight = icon('chevron-right');
export const CircleCheck = icon('circle-check');
export const CircleDashed = icon('circle-dashed');
export const CircleDot = icon('circle-dot');
export const CircleX = icon('circle-x');
export const CircleUser = icon('circle-user');
export const ClipboardPaste = icon('clipboard-paste');
export const Copy = icon('copy');
export const CopyPlus = icon('copy-plus');
export const CornerDownRight = icon('corner-down-right');
export const Download = icon('download');
export const Droplets = icon('droplets');
export const Ellipsis = icon('ellipsis');
export const FileText = icon('file-text');
export const FolderClosed = icon('folder-closed');
export const FolderInput = icon('folder-input');
export const FolderPlus = icon('folder-plus');
export const Gauge = icon('gauge');
export const GripVertical = icon('grip-vertical');
export const History = icon('rotate-ccw-clock');
export const House = icon('house');
export const Info = icon('info');
export const Keyboard = icon('keyboard');
export const Languages = icon('languages');
export const Layers = icon('layers');
export const Lightbulb = icon('lightbulb');
export const ListFilter = icon('list-filter');
export const ListOrdered = icon('list-ordered');
export const LocateFixed = icon('locate-fixed');
export const Lock = icon('lock');
export const LogOut = icon('log-out');
export const MapIcon = icon('map');
export const MapPin = icon('map-pin');
export const Maximize = icon('maximize');
export const Minus = icon('minus');
export const Move = icon('move');
export const OctagonX = icon('octagon-x');
export const Package = icon('package');
export const Pause = icon('pause');
export const Pencil = icon('pencil');
export const Pin = icon('pin');
export const PinOff = icon('pin-off');
export const Play = icon('play');
export const Plus = icon('plus');
export const Printer = icon('printer');
export const Redo2 = icon('redo-2');
export const RotateCcw = icon('rotate-ccw');
export const Save = icon('save');
export const Scissors = icon('scissors');
export const ScrollText = icon('scroll-text');
export const Search = icon('search');
export const Server = icon('server');
export const Settings = icon('settings');
export const Shapes = icon('shapes');
export const Share2 = icon('share-2');
export const SlidersHorizontal = icon('sliders-horizontal');
export const Sprout = icon('sprout');
export const SunMoon = icon('sun-moon');
export const ToggleRight = icon('toggle-right');
export const Trash2 = icon('trash');
export const TriangleAlert = icon('triangle-alert');
export const Undo2 = icon('undo-2');
export const Ungroup = icon('ungroup');
export const Unplug = icon('unplug');
export const Upload = icon('upload');
export const Video = icon('video');
export const Wind = icon('wind');
export const Wrench = icon('wrench');
export const X = icon('x');
export const Zap = icon('zap');
export const ZoomIn = icon('zoom-in');
export const ZoomOut = icon('zoom-out');

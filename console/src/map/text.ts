import { catalog } from '../ui/language.ts';

const en = {
  title: 'Map',
  bed: (width: number, height: number) => `Garden bed, ${width} by ${height} mm`,
  robotAt: (x: number, y: number) => `Robot at ${x}, ${y}`,
  robotLastAt: (x: number, y: number) => `Robot, last seen at ${x}, ${y}`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  showAll: 'Show the whole bed',
};

const fr: typeof en = {
  title: 'Plan',
  bed: (width, height) => `Planche de jardin, ${width} sur ${height} mm`,
  robotAt: (x, y) => `Robot à ${x}, ${y}`,
  robotLastAt: (x, y) => `Robot, vu pour la dernière fois à ${x}, ${y}`,
  zoomIn: 'Agrandir',
  zoomOut: 'Réduire',
  showAll: 'Montrer toute la planche',
};

export const mapText = catalog({ en, fr });

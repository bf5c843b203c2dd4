import { labels } from '../core/field-labels.ts';
import { boolean, integer, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';

const origin = () => oneOf('home', 'max', 'world').required();
const place = () => integer().required().range(-100_000, 100_000);
const size = () => integer().required().range(0, 100_000);

/** [rule G29, decision 24] */
export const sceneObjects = resource('scene_objects', {
  tag: 'Garden',
  example: {
    name: 'Compost',
    texture: 'wood',
    shape: 'box',
    color: '#804000',
    x_origin: 'home',
    y_origin: 'max',
    z_origin: 'world',
    x_center: 100,
    y_center: 200,
    z_base: 0,
    x_size: 500,
    y_size: 500,
    z_size: 400,
    rotation: 45,
  },
  description:
    'An object in the three-dimensional view of the garden. Lengths are millimeters, the rotation is degrees.',
  changeLogName: 'SceneObject',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'empty',
  addition: true,
  max: 1000,
  fields: {
    name: text().required().max(80).unique().label(labels.name),
    texture: oneOf(
      'aluminum',
      'bricks',
      'cloud',
      'concrete',
      'grass',
      'none',
      'sand',
      'screen',
      'soil',
      'water',
      'wood',
    )
      .required()
      .label('Material', 'Matière'),
    color: text().required().max(80).label(labels.color),
    show: boolean().default(true).notNull('on create').label('Shown', 'Affiché'),
    shape: oneOf(
      'astronaut',
      'box',
      'cylinder',
      'desk',
      'fence',
      'hab',
      'laptop',
      'plant',
      'rover',
      'solar',
      'sphere',
      'tray',
      'tree',
      'window',
    )
      .required()
      .label('Shape', 'Forme'),
    x_origin: origin().label('x is measured from', 'x se mesure depuis'),
    y_origin: origin().label('y is measured from', 'y se mesure depuis'),
    z_origin: origin().label('z is measured from', 'z se mesure depuis'),
    x_center: place().label('Center in x', 'Centre en x').unit('mm'),
    y_center: place().label('Center in y', 'Centre en y').unit('mm'),
    z_base: place().label('Base in z', 'Base en z').unit('mm'),
    x_size: size().label('Size in x', 'Taille en x').unit('mm'),
    y_size: size().label('Size in y', 'Taille en y').unit('mm'),
    z_size: size().label('Size in z', 'Taille en z').unit('mm'),
    rotation: integer().required().range(-180, 180).label('Rotation', 'Rotation').unit('degrees'),
  },
});

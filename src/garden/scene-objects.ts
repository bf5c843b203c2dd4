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
    name: text().required().max(80).unique(),
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
    ).required(),
    color: text().required().max(80),
    show: boolean().default(true).notNull('on create'),
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
    ).required(),
    x_origin: origin(),
    y_origin: origin(),
    z_origin: origin(),
    x_center: place(),
    y_center: place(),
    z_base: place(),
    x_size: size(),
    y_size: size(),
    z_size: size(),
    rotation: integer().required().range(-180, 180),
  },
});

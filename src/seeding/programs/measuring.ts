import type { SeedProgram } from './nodes.ts';
import { axisNode, commented, moveNode, placeNode, readSensorNode, safeZNode, specialValueNode } from './nodes.ts';
import { goOverPlace } from './photos.ts';

/** The label of the sensor that {@link measureMoisture} reads. */
export const soilSensor = 'Soil Sensor';

export const measureMoisture: SeedProgram = {
  name: 'Measure moisture',
  color: 'yellow',
  locals: [placeNode],
  steps: ({ sensor }) => [
    goOverPlace(),
    commented('Put the sensor on the soil.', moveNode(axisNode('z', specialValueNode('soil_height')))),
    readSensorNode(sensor(soilSensor), 'Moisture'),
    commented('Lift the sensor.', moveNode(axisNode('z', specialValueNode('safe_height')), safeZNode)),
  ],
};

/** The key of a setting's texts, and the suffix of its name: an axis or a number. */
export function settingKey(name: string): readonly [key: string, suffix: string] {
  const axis = /^(encoder_.*|movement_.*)_([xyz])$/.exec(name);
  if (axis) return [axis[1] ?? name, axis[2] ?? ''];
  const numbered = /^(pin_(?:guard|report))_(\d)_(.*)$/.exec(name);
  return numbered ? [`${numbered[1]}_${numbered[3]}`, numbered[2] ?? ''] : [name, ''];
}

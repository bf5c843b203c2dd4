import { describe, expect, it } from 'vitest';
import { isCompressible } from '../engine/content-encoding.ts';
import { fileType, isHashed } from './file-types.ts';

describe('file types', () => {
  it('match the requirements of browsers', () => {
    expect(fileType('main_app-index.js')).toBe('text/javascript; charset=utf-8');
    expect(fileType('a/_index.css')).toBe('text/css; charset=utf-8');
    expect(fileType('tomato.avif')).toBe('image/avif');
    expect(fileType('robot.GLB')).toBe('model/gltf-binary');
    expect(fileType('draco.wasm')).toBe('application/wasm');
    expect(fileType('no-ending')).toBe('application/octet-stream');
    expect(fileType('page.php')).toBe('application/octet-stream');
  });

  it('are compressible where it helps', () => {
    for (const name of ['a.js', 'a.css', 'a.json', 'a.svg', 'a.wasm', 'a.ttf', 'a.md'])
      expect(isCompressible(fileType(name))).toBe(true);
    for (const name of ['a.jpg', 'a.woff2', 'a.glb', 'a.mp4', 'a']) expect(isCompressible(fileType(name))).toBe(false);
  });

  it('are hashed only if the name contains a hash', () => {
    for (const name of [
      'chunk-2BADCAFE.js',
      'three-d3adb33f.js',
      'entry.0a1b2c3d4e5f.css',
      'icon.7f3a9c21.svg',
      'a-Dx3f_9Qa.js',
      'a-2BADCAF3.js.map',
    ])
      expect(isHashed(name), name).toBe(true);
    for (const name of [
      'front_page-index.js',
      'user-settings.js',
      'entry.js',
      'a.deadbeef.js',
      'release-2024.json',
      'some-WORDLIKE.js',
      '_index.css',
    ])
      expect(isHashed(name), name).toBe(false);
  });
});

import { createContext, runInContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noteIntrinsics } from '#flows/dev/harmed-intrinsics';

/** Changes a property until the test ends. */
function change(holder: object, key: string, descriptor: PropertyDescriptor | undefined) {
  const before = Object.getOwnPropertyDescriptor(holder, key);
  onTestFinished(() => {
    if (before) Object.defineProperty(holder, key, before);
    else Reflect.deleteProperty(holder, key);
  });
  if (descriptor) Object.defineProperty(holder, key, { configurable: true, writable: true, ...descriptor });
  else Reflect.deleteProperty(holder, key);
}

describe('the functions of the language', () => {
  it.each<[string, object, string, PropertyDescriptor | undefined]>([
    ['replaced', JSON, 'stringify', { value: () => '' }],
    ['removed', Array.prototype, 'flat', undefined],
    ['added where every loop meets it', Object.prototype, 'left', { value: 1, enumerable: true }],
    ['taken away with their global', globalThis, 'WeakRef', { value: undefined }],
  ])('are harmed when one is %s', (_how, holder, key, descriptor) => {
    const areHarmed = noteIntrinsics();
    expect(areHarmed()).toBe(false);
    change(holder, key, descriptor);
    expect(areHarmed()).toBe(true);
  });

  it('are not harmed by one more that no loop meets, nor by code of another context', () => {
    const areHarmed = noteIntrinsics();
    change(Array.prototype, 'lastOne', { value: () => 1 });
    runInContext('Object.prototype.left = 1; delete Array.prototype.map;', createContext({}));
    expect(areHarmed()).toBe(false);
  });
});

import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import writeFileAtomic from 'write-file-atomic';
import { noteIntrinsics } from '#flows/agent-worker/harmed-intrinsics';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

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

describe('the functions of the language and of Node.js', () => {
  it.each<[string, object, string, PropertyDescriptor | undefined]>([
    ['replaced', JSON, 'stringify', { value: () => '' }],
    ['removed', Array.prototype, 'flat', undefined],
    ['added where every loop meets it', Object.prototype, 'left', { value: 1, enumerable: true }],
    ['taken away with their global', globalThis, 'WeakRef', { value: undefined }],
    ['a global of Node.js that is removed', globalThis, 'fetch', { value: undefined }],
    ['replaced in a module of Node.js', fs, 'readFile', { value: () => undefined }],
    ['replaced in a class of Node.js', http.Server.prototype, 'setTimeout', { value: () => undefined }],
    ['hidden in such a class by one of its own', http.ServerResponse.prototype, 'end', { value: () => undefined }],
    ['removed from what such a class inherits', EventEmitter.prototype, 'emit', undefined],
  ])('are harmed when one is %s', (_how, holder, key, descriptor) => {
    const areHarmed = noteIntrinsics();
    expect(areHarmed()).toBe(false);
    change(holder, key, descriptor);
    expect(areHarmed()).toBe(true);
  });

  it('are not harmed by one more that no loop meets, by globals that Node.js makes when they are used, nor by code of another context', () => {
    const areHarmed = noteIntrinsics();
    change(Array.prototype, 'lastOne', { value: () => 1 });
    change(globalThis, 'addedByCode', { value: () => 1 });
    expect(new Blob([JSON.stringify(new Headers([['a', 'b']]))]).size).toBeGreaterThan(0);
    runInContext('Object.prototype.left = 1; delete Array.prototype.map;', createContext({}));
    expect(areHarmed()).toBe(false);
  });

  it('are not harmed while the agent writes a file', async () => {
    const areHarmed = noteIntrinsics();
    const folder = await temporaryFolder();
    const { reallyExit } = process as unknown as { reallyExit: unknown };
    const written = writeFileAtomic(path.join(folder, 'rights.json'), '{}');
    expect((process as unknown as { reallyExit: unknown }).reallyExit).not.toBe(reallyExit);
    expect(areHarmed()).toBe(false);
    await written;
  });
});

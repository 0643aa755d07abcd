import { describe, expect, it } from 'vitest';
import {
  isMisnamed,
  isPicture,
  nameIn,
  readDataUri,
  sizeText,
  typeOfBytes,
} from '../../../src/console/values/file-content.ts';
import { textOf } from '../../../src/console/values/text-of.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const uri = (type: string, content: string) => `data:${type};base64,${btoa(content)}`;

describe('files', () => {
  it.each([
    ['\u0089PNG\r\n\u001a\n…', 'image/png'],
    ['\u00ff\u00d8\u00ff\u00e0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF____WEBP', 'image/webp'],
    ['RIFF____WAVE', 'application/octet-stream'],
    ['%PDF-1.7', 'application/pdf'],
    ['MZ\u0090', 'application/octet-stream'],
    ['<svg onload="x"/>', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('are what their bytes say: %j is %s', (content, type) => {
    expect(typeOfBytes(bytes(content))).toBe(type);
  });

  it('are not a picture for the type that somebody writes before them', () => {
    const file = readDataUri(uri('image/svg+xml', '<svg onload="x"/>'));
    expect(file?.type).toBe('application/octet-stream');
    expect(isPicture(file?.type ?? '')).toBe(false);
    expect(readDataUri(uri('text/html', 'GIF89a'))?.type).toBe('image/gif');
  });

  it.each([
    ['run.png', 'MZ\u0090', true],
    ['run.PNG', 'MZ\u0090', true],
    ['a.jpg', '\u00ff\u00d8\u00ff', false],
    ['a.exe', 'MZ\u0090', false],
    ['a.pdf', 'GIF89a', true],
    ['png', '', true],
    ['notes', 'text', false],
  ])('are refused where the name lies: %s of %j is %s (case 44)', (name, content, isRefused) => {
    expect(isMisnamed(name, bytes(content))).toBe(isRefused);
  });

  it('have the name that they come with', () => {
    expect(nameIn('data:image/png;name=caf%C3%A9.png;base64,')).toBe('café.png');
    expect(nameIn('data:image/png;name=100%;base64,')).toBe('100%');
    expect(nameIn('data:image/png;base64,')).toBe('file');
  });

  it.each(['data:text/plain,hello', 'data:;base64', 'data:image/png;base64,%%%', 'hello'])(
    'are not read from %j',
    (text) => {
      expect(readDataUri(text)).toBeUndefined();
    },
  );

  it('are a type and a size in a cell', () => {
    expect(textOf(uri('image/png', 'x'.repeat(3_000)), 'Binary', 'UTC').text).toBe('image/png, 3000 B');
    expect(sizeText(5_000_000, 'en')).toBe('5 MB');
  });
});

import { describe, expect, it } from 'vitest';
import { bytesOfText } from '../../../../src/runtime/query/bytes-of-text.ts';

describe('bytesOfText', () => {
  it.each([
    ['00ff', '00ff'],
    ['', ''],
    ['data:,', ''],
    ['data:,a%00%ffb', '6100ff62'],
    ['data:text/plain;charset=utf-8,%C3%A9', 'c3a9'],
    ['data:,é', 'c3a9'],
    ['data:,é%e9', 'c3a9e9'],
    ['data:,50%', '353025'],
    ['data:,%zz%4', '257a7a2534'],
    ['data:,a+b', '612b62'],
    ['data:,a,b', '612c62'],
    ['data:,a\nb', '610a62'],
    ['data:text/plain;base64,aGk=', '6869'],
    ['DATA:text/plain;BASE64,aGk=', '6869'],
    ['data:;base64,aGk%3D', '6869'],
    ['data:;base64,%2B%2F%2b%2f', 'fbffbf'],
    ['data:base64,aGk=', '61476b3d'],
  ])('reads %j', (text, hex) => {
    expect(Buffer.from(bytesOfText(text)).toString('hex')).toBe(hex);
  });
});

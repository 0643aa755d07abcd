import { describe, expect, it } from 'vitest';
import { propertyName } from '#kernel/text/property-name';

describe('a property name', () => {
  it.each(['customer', 'c0', '', '__proto__', 'constructor', '12', '-1', 'é ü', 'a:b'])(
    'is the text itself: %j',
    (text) => {
      expect(propertyName(text)).toBe(text);
    },
  );
});

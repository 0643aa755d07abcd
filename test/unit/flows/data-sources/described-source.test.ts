import { describe, expect, it } from 'vitest';
import { describedSource, hasPassword, withoutPassword } from '#flows/data-sources/described-source';

describe('the address of a data source', () => {
  it.each([
    ['postgres://app:secret@h/shop?sslmode=require', 'postgres://app:…@h/shop'],
    ['mongodb://app:secret@a:27017,b:27018/shop', 'mongodb://app:…@a:27017,b:27018/shop'],
    ['mongodb+srv://app:secret@cluster.example.com/shop', 'mongodb+srv://app:…@cluster.example.com/shop'],
    ['sqlite:./shop.sqlite', 'sqlite:./shop.sqlite'],
  ])('is shown without its password: %s', (uri, shown) => {
    expect(withoutPassword(uri)).toBe(shown);
    expect(hasPassword(uri)).toBe(uri.includes('secret'));
  });

  it.each([
    ['postgresql://h/shop', 'postgres'],
    ['mongodb+srv://h/shop', 'mongodb'],
    ['${SHOP_URL}', 'mongodb'],
    ['${MISSING}', null],
  ])('tells the engine of %s', (uri, engine) => {
    const get = (name: string) => (name === 'SHOP_URL' ? 'mongodb://h/shop' : undefined);
    expect(describedSource('main', { uri }, { get }).engine).toBe(engine);
  });
});

import { describe, expect, it } from 'vitest';
import { isMongoUri, resolveMongoConnection } from '#node/mongo/mongo-connection-params';

describe('the connection of a MongoDB database', () => {
  it.each([
    ['mongodb://db.internal/shop', 'shop'],
    ['mongodb://app:p%40ss@a:27017,b:27018/shop?replicaSet=rs0', 'shop'],
    ['mongodb+srv://app:secret@cluster.example.com/shop?retryWrites=true', 'shop'],
    ['mongodb://h/my%2Dshop', 'my-shop'],
  ])('reads the database out of %s', (uri, database) => {
    expect(resolveMongoConnection(uri)).toEqual({ uri, database });
  });

  it('writes the parts of a connection as a URI', () => {
    const parts = {
      host: 'a,b:27018',
      port: 27_017,
      database: 'shop',
      username: 'app',
      password: 'p@ss/',
      replicaSet: 'rs0',
      tls: true,
    };
    expect(resolveMongoConnection(parts)).toEqual({
      uri: 'mongodb://app:p%40ss%2F@a:27017,b:27018/shop?authSource=admin&replicaSet=rs0&tls=true',
      database: 'shop',
    });
  });

  it.each([
    'postgres://h/d',
    'mongodb:shop',
    'mongodb://h',
    'mongodb://app:secret@h/',
    'mongodb://app:secret@h/a.b',
    'mongodb://app:secret@h/%zz',
  ])('refuses %s without repeating it', (uri) => {
    const resolve = () => resolveMongoConnection(uri);
    expect(resolve).toThrow(expect.objectContaining({ code: 'DATABASE_URI_INVALID' }));
    expect(resolve).not.toThrow(/secret/);
  });

  it('is known by its scheme', () => {
    const uris = ['mongodb://h/d', 'MONGODB+SRV://h/d', 'postgres://h/d', 'sqlite:mongodb.sqlite'];
    expect(uris.map(isMongoUri)).toEqual([true, true, false, false]);
  });
});

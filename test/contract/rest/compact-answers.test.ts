import { describe, expect, it } from 'vitest';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';
import { customizeShop } from './shop.ts';

const long = '/_internal/schema/orders';
const dependsOn = 'Origin, Accept-Encoding, Service-Links, Service-Projection';

describe('an answer of JSON', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br;q=0.5', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
  ])('is compressed for a client that takes %s', async (accepted, encoding) => {
    const agent = await startShopAgent(customizeShop);
    const plain = await call(agent, long, { headers: { 'accept-encoding': 'identity' } });
    const { headers, json, status } = await call(agent, long, { headers: { 'accept-encoding': accepted } });
    expect(status).toBe(200);
    expect(headers.get('content-encoding')).toBe(encoding);
    expect(headers.get('vary')).toBe(dependsOn);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toEqual(plain.json);
    const sent = [plain, { headers }].map((answer) => Number(answer.headers.get('content-length')));
    expect(sent[1]).toBeLessThan((sent[0] ?? 0) / 4);
  });

  it.each(['identity', 'deflate, zstd', 'gzip;q=0, br;q=0.000', 'nonsense'])(
    'is sent as it is to a client that takes %s',
    async (accepted) => {
      const { headers } = await call(await startShopAgent(), long, { headers: { 'accept-encoding': accepted } });
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, dependsOn]);
    },
  );

  it('is sent as it is when it is short, or has no caller', async () => {
    const agent = await startShopAgent();
    for (const target of ['/orders/count', '/nope']) {
      const { headers } = await call(agent, target, { headers: { 'accept-encoding': 'br' } });
      expect(headers.get('content-encoding')).toBeNull();
    }
    const { headers } = await call(agent, '/', { token: null, headers: { 'accept-encoding': 'br' } });
    expect(headers.get('content-encoding')).toBeNull();
  });

  it('has its size limit before it is compressed', async () => {
    const agent = await startShopAgent(undefined, { limits: { maxResponseSize: '2kb' } });
    const { status, text } = await call(agent, long, { headers: { 'accept-encoding': 'br' } });
    expect([status, text]).toEqual([422, expect.stringContaining('more than 2048 bytes')]);
  });
});

describe('the header Service-Links', () => {
  const relationshipsOf = async (target: string, links?: string) => {
    const { json } = await call(await startShopAgent(), target, links ? { headers: { 'service-links': links } } : {});
    const { data } = json as { data: object | readonly object[] };
    return [data].flat().map((record) => (record as { relationships?: object }).relationships);
  };

  it('leaves the links of relations to many out of records, and keeps what to-one relations lead to', async () => {
    const customer = { data: { type: 'customers', id: '1' } };
    const all = { customer, lines: { links: { related: { href: '/service/orders/1/relationships/lines' } } } };
    for (const target of ['/orders/1', '/orders?sort=id&page[size]=1']) {
      expect(await relationshipsOf(target)).toEqual([all]);
      expect(await relationshipsOf(target, 'all')).toEqual([all]);
      expect(await relationshipsOf(target, 'none')).toEqual([{ customer }]);
    }
    expect(await relationshipsOf('/customers/1/relationships/orders?page[size]=1', 'none')).toEqual([{ customer }]);
    expect(await relationshipsOf('/customers/1', 'none')).toEqual([undefined]);
  });

  it.each(['some', 'None', '', 'none, all'])('is refused when it says neither: "%s"', async (links) => {
    const { status, text } = await call(await startShopAgent(), '/orders', { headers: { 'service-links': links } });
    expect([status, text]).toEqual([400, expect.stringContaining('\\"none\\" or \\"all\\"')]);
  });

  it('changes nothing of the answer to the next request for the same address', async () => {
    const target = '/orders?fields[orders]=id&sort=id&page[size]=1';
    const before = await relationshipsOf(target);
    await relationshipsOf(target, 'none');
    expect(await relationshipsOf(target)).toEqual(before);
  });

  it('is in Vary, so that a cache on the way keeps one answer for each value', async () => {
    const { headers } = await call(await startShopAgent(), '/orders', { headers: { 'service-links': 'none' } });
    expect(headers.get('vary')).toBe(dependsOn);
  });
});

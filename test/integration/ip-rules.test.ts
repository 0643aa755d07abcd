import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const rules = { use_ip_whitelist: true, rules: [{ type: 2, range: '192.0.2.0/24' }, { type: 9 }] };
const ipRules = { ipRules: async () => rules };
const trustedProxies = ['127.0.0.1', '203.0.113.0/28'];

describe('rules of addresses', () => {
  it('let in who is listed, and this machine', async () => {
    const agent = await startShopAgent(undefined, { ipRules, trustedProxies });
    expect((await call(agent, '/orders', from('192.0.2.7'))).status).toBe(200);
    expect((await call(agent, '/orders')).status).toBe(200);
    const refused = await call(agent, '/orders', from('198.51.100.1'));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('198.51.100.1')]);
    expect((await call(agent, '/orders', from('127.0.0.1'))).status).toBe(403);
  });

  it('are about the last address that is not a trusted proxy', async () => {
    const agent = await startShopAgent(undefined, { ipRules, trustedProxies });
    const statusFrom = async (address: string) => (await call(agent, '/orders', from(address))).status;
    expect(await statusFrom('192.0.2.7, 203.0.113.5')).toBe(200);
    expect(await statusFrom('198.51.100.1, 192.0.2.7')).toBe(200);
    expect(await statusFrom('192.0.2.7, 198.51.100.1')).toBe(403);
    expect(await statusFrom('192.0.2.7, 203.0.113.99')).toBe(403);
    for (const lie of ['nobody', '192.0.2.7:80', '[192.0.2.7]', '192.0.2.7 198.51.100.1', 'for=192.0.2.7']) {
      expect([lie, await statusFrom(lie)]).toEqual([lie, 403]);
    }
  });

  it('believe no proxy that is not named, and do not take one on this machine for a client', async () => {
    for (const others of [[], ['203.0.113.5']]) {
      const agent = await startShopAgent(undefined, { ipRules, trustedProxies: others });
      const { status, text } = await call(agent, '/orders', from('192.0.2.7'));
      expect([status, text]).toEqual([403, expect.stringContaining('127.0.0.1')]);
      expect(text).toContain('trustedProxies');
      for (const name of ['x-real-ip', 'forwarded', 'via']) {
        const lie = name === 'forwarded' ? 'for=192.0.2.7;host=192.0.2.7' : '192.0.2.7';
        expect([name, (await call(agent, '/orders', { headers: { [name]: lie } })).status]).toEqual([name, 403]);
      }
    }
  });

  it('ask for the token first, and not at all on the way to sign in', async () => {
    const agent = await startShopAgent(undefined, { ipRules, trustedProxies });
    expect((await call(agent, '/orders', { ...from('198.51.100.1'), token: null })).status).toBe(401);
    expect((await call(agent, '/', { ...from('198.51.100.1'), token: null })).status).toBe(200);
  });

  it('let nobody in while they cannot be read', async () => {
    let isDown = true;
    const readRules = async () => {
      if (!isDown) return rules;
      throw cloudError('PLATFORM_UNREACHABLE', 'down', 'wait');
    };
    const agent = await startShopAgent(undefined, { ipRules: { ipRules: readRules }, trustedProxies });
    expect((await call(agent, '/orders', from('192.0.2.7'))).status).toBe(502);
    isDown = false;
    expect((await call(agent, '/orders', from('192.0.2.7'))).status).toBe(200);
  });
});

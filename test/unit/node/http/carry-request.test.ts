import { createSecureContext } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createRequestCarrier } from '#node/http/carry-request';

it('reads the certificates of the system for a secure server only, because that takes long', async () => {
  let readings = 0;
  const carrier = createRequestCarrier(1_000, () => {
    readings++;
    return createSecureContext();
  });
  onTestFinished(() => carrier.close());
  const carry = (url: string) =>
    carrier.carry({ url: new URL(url), method: 'GET', headers: {}, signal: AbortSignal.timeout(1_000) });
  // Nobody listens on the port.
  await expect(carry('http://127.0.0.1:9')).rejects.toThrow('ECONNREFUSED');
  expect(readings).toBe(0);
  await expect(carry('https://127.0.0.1:9')).rejects.toThrow('ECONNREFUSED');
  await expect(carry('https://127.0.0.1:9')).rejects.toThrow('ECONNREFUSED');
  expect(readings).toBe(1);
});

import { expect, it } from 'vitest';
import { proxiesFrom } from '#kernel/environment/proxies';

const one = 'http://one.example:3128';
const two = 'http://two.example:3128';

it.each([
  [{}, [undefined, undefined, undefined]],
  [{ HTTP_PROXY: one, HTTPS_PROXY: two, NO_PROXY: 'a,b' }, [one, two, 'a,b']],
  [{ http_proxy: one, https_proxy: two, no_proxy: 'a' }, [one, two, 'a']],
  [{ HTTPS_PROXY: one, https_proxy: two }, [undefined, two, undefined]],
  [{ HTTPS_PROXY: one, https_proxy: '' }, [undefined, one, undefined]],
  [{ ALL_PROXY: one }, [one, one, undefined]],
  [{ all_proxy: one, HTTPS_PROXY: two }, [one, two, undefined]],
  [{ ALL_PROXY: 'socks5://one.example:1080' }, [undefined, undefined, undefined]],
] as const)('the variables %j name the proxies %j', (variables, [httpProxy, httpsProxy, noProxy]) => {
  expect(proxiesFrom(variables)).toEqual({ httpProxy, httpsProxy, noProxy });
});

import tls from 'node:tls';

let made: { readonly authorities: readonly string[]; readonly context: tls.SecureContext } | undefined;

/**
 * Trusts the authorities of Node.js, those of `NODE_EXTRA_CA_CERTS` and those of the system, where companies put theirs. Made again
 * only when the program has set others: reading hundreds of certificates takes tens of milliseconds.
 */
export function trustedContext(): tls.SecureContext {
  const authorities = tls.getCACertificates('default');
  if (made?.authorities !== authorities) {
    const ca = [...new Set([...authorities, ...tls.getCACertificates('system')])];
    made = { authorities, context: tls.createSecureContext({ ca }) };
  }
  return made.context;
}

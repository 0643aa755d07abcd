import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** Where a request went. Errors never show the whole address, because its query may hold secrets. */
export interface Destination {
  readonly method: string;
  readonly host: string;
}

export function deadlinePassed({ method, host }: Destination, deadlineMs: number, cause: unknown): CloudError {
  return cloudError(
    'PLATFORM_TIMEOUT',
    `${host} did not answer a ${method} request within ${deadlineMs / 1000} s.`,
    'Try again; check the network and the load of the server.',
    { cause },
  );
}

export function interrupted({ method, host }: Destination, cause: unknown): CloudError {
  return cloudError(
    'INTERRUPTED',
    `A ${method} request to ${host} was given up before it was answered.`,
    'Run the command again.',
    { cause },
  );
}

/** The server could not be reached, or the connection ended before its answer did. */
export function noAnswer({ host }: Destination, cause: unknown): CloudError {
  const code = errorCodeOf(cause);
  const { why, step } = whyUnanswered(cause);
  const nextStep = code === 'ECONNREFUSED' ? startIt : step;
  return cloudError('PLATFORM_UNREACHABLE', `${host} cannot be reached: ${why}.`, nextStep, {
    safeDetails: { errno: code },
    cause,
  });
}

/** Why a server gave no answer, with the code of the error, and what to do. @param address says where the server is. */
export function whyUnanswered(cause: unknown, address = platformAddress): Reason {
  const code = errorCodeOf(cause);
  const { why, step } = refusalOfProxy(cause) ?? reasons[code] ?? unknownReason;
  const shown = code ? `${why} (${code})` : why;
  return { why: shown, step: step.replace(platformAddress, address) };
}

/** Whether another try may succeed. A refused certificate or a malformed request fails the same way each time. */
export function canPassOnRetry(error: unknown): boolean {
  const code = errorCodeOf(error);
  return !isCertificateCode(code) && !lastingCodes.has(code);
}

/** Whether the machine answered that nothing listens there. */
export function isRefusedConnection(error: unknown): boolean {
  return errorCodeOf(error) === 'ECONNREFUSED';
}

const lastingCodes = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_HEADERS_OVERFLOW',
  'ERR_RESPONSE_TOO_LARGE',
  'ERR_INVALID_CHAR',
  'HPE_HEADER_OVERFLOW',
]);

/** What says where a platform is. Next steps send people there. */
const platformAddress = 'SERVICE_SERVER_URL';
const startIt = 'Start the local platform with "vendor-cloud dev", or check SERVICE_SERVER_URL.';
const trustIt =
  'Set NODE_EXTRA_CA_CERTS to a file with the certificate authority of the server or of the proxy in between.';
const untrusted = { why: 'its certificate is signed by an authority this machine does not trust', step: trustIt };
const lateConnection = { why: 'no connection came about in time', step: 'Check the network, then try again.' };
const largeAnswer = {
  why: 'its answer is larger than any platform sends',
  step: `Check that ${platformAddress} names a platform server.`,
};

export interface Reason {
  readonly why: string;
  readonly step: string;
}

const unknownReason: Reason = {
  why: 'the connection failed',
  step: 'Check the address and the network, then try again.',
};

/** undici tells what a proxy answered in the message only, under codes that stand for other things as well. */
function refusalOfProxy(error: unknown): Reason | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message)?.[1];
  if (status === undefined) return refusalOfProxy(error.cause);
  if (status === '407') {
    return {
      why: 'the proxy asks for another user or password',
      step: 'Put them into the address of the proxy, in HTTPS_PROXY for instance: http://user:password@host:port',
    };
  }
  return {
    why: `the proxy answered ${status}`,
    step: 'Check HTTPS_PROXY, and whether the proxy may reach the server.',
  };
}

const reasons: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: { why: 'nothing listens there', step: `Check ${platformAddress}, and that the server runs.` },
  ENOTFOUND: { why: 'its name is unknown', step: `Check ${platformAddress} and the network.` },
  EAI_AGAIN: { why: 'its name could not be looked up', step: 'Check the network, then try again.' },
  ENETUNREACH: { why: 'there is no way through the network', step: 'Check the network, then try again.' },
  ECONNRESET: { why: 'it closed the connection', step: 'Try again.' },
  UND_ERR_SOCKET: { why: 'it closed the connection', step: 'Try again.' },
  ETIMEDOUT: lateConnection,
  UND_ERR_CONNECT_TIMEOUT: lateConnection,
  UND_ERR_PRX_CONN: { why: 'the proxy cannot be reached', step: 'Check HTTPS_PROXY and HTTP_PROXY.' },
  ERR_RESPONSE_TOO_LARGE: largeAnswer,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: largeAnswer,
  CERT_HAS_EXPIRED: {
    why: 'its certificate has expired',
    step: 'Check the clock of this machine; else have the certificate renewed.',
  },
  CERT_NOT_YET_VALID: { why: 'its certificate is not valid yet', step: 'Check the clock of this machine.' },
  ERR_TLS_CERT_ALTNAME_INVALID: { why: 'its certificate is for another name', step: `Check ${platformAddress}.` },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

function isCertificateCode(code: string): boolean {
  return code.includes('CERT') || code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
}

/** The first known code of the error or of its causes: undici wraps the error of the socket. */
function errorCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (own !== '' && own in reasons) return own;
  const [first] = error instanceof AggregateError ? error.errors : [];
  const inner = first ?? ('cause' in error ? error.cause : undefined);
  return (inner === undefined ? '' : errorCodeOf(inner)) || own;
}

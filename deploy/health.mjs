// Checks that the platform on this machine runs; ends with 1 when it does not. The certificate is not verified, because it is for the
// public name.
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

const port = /:(\d+)$/.exec(process.env.SERVICE_LISTEN ?? '')?.[1] ?? '3310';
const address = { host: '127.0.0.1', port, path: '/health', timeout: 4000 };
const answered = (response) => process.exit(response.statusCode === 200 ? 0 : 1);
const request = process.env.SERVICE_TLS_CERT
  ? getHttps({ ...address, rejectUnauthorized: false }, answered)
  : getHttp(address, answered);
request.on('error', () => process.exit(1));
request.on('timeout', () => process.exit(1));

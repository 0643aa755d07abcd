import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import type { FileBucketOptions } from '../../src/exports/plugin-file-storage.ts';
import { startHttpServer } from './http-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The only account that the server knows. */
const s3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

interface S3Request {
  readonly method: string;
  /** The path, such as `/bucket/key`. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface S3Server {
  readonly origin: string;
  readonly bucket: FileBucketOptions;
  readonly requests: readonly S3Request[];
  /** The keys of all files. */
  keys(): Promise<readonly string[]>;
  /** A file as text, with its headers; `undefined` if there is none. */
  file(
    key: string,
  ): Promise<{ readonly text: string; readonly type: string; readonly disposition: string } | undefined>;
  /** Answer requests of a method with a status until told otherwise. */
  fail(method: string, status: number | undefined): void;
  /** End answers to requests for a part of a file in its middle. */
  cutReads(isCut: boolean): void;
}

/**
 * A server of the S3 protocol with one bucket, until the test ends. It checks signatures of version 4. What it lacks is added
 * here: a conditional write (`If-None-Match: *`) is refused where the key is taken.
 *
 * @param checksSignatures It works out another signature than Amazon for lists of a bucket, whose path ends with a slash.
 */
export async function startS3Server(bucketName = 'papers', { checksSignatures = true } = {}): Promise<S3Server> {
  const requests: S3Request[] = [];
  const failures = new Map<string, number>();
  let areReadsCut = false;
  const directory = await temporaryFolder();
  const s3 = new S3rver({
    ...{ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucketName }] },
    allowMismatchedSignatures: !checksSignatures,
  });
  await s3.configureBuckets();
  const answer = s3.callback();
  const { origin } = await startHttpServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const path = decodeURIComponent(new URL(url, 'http://s3.test').pathname);
    requests.push({ method, path, headers });
    const status = failures.get(method);
    const isConditional = method === 'PUT' && headers['if-none-match'] === '*';
    if (areReadsCut && method === 'GET' && headers.range !== undefined) cutOff(response);
    else if (status !== undefined) refuse(response, status, status === 403 ? 'AccessDenied' : 'ServiceUnavailable');
    else if (isConditional && (await s3.store.existsObject(bucketName, path.slice(bucketName.length + 2)))) {
      refuse(response, 412, 'PreconditionFailed');
    } else answer(request, response);
  });
  const bucket = { name: bucketName, endpoint: origin, forcePathStyle: true, credentials: s3Credentials };
  return {
    origin,
    bucket,
    requests,
    fail: (method, status) => (status === undefined ? failures.delete(method) : failures.set(method, status)),
    cutReads: (isCut) => {
      areReadsCut = isCut;
    },
    keys: async () => (await s3.store.listObjects(bucketName, {})).objects.map(({ key }) => key),
    file: async (key) => {
      const found = await s3.store.getObject(bucketName, key);
      if (!found) return undefined;
      const { 'content-type': type = '', 'content-disposition': disposition = '' } = found.metadata;
      return { text: await text(found.content), type, disposition };
    },
  };
}

function cutOff(response: ServerResponse): void {
  response.writeHead(206, { 'content-length': '1000', 'content-range': 'bytes 0-999/1000' });
  response.write('PAR1');
  setTimeout(() => response.destroy(), 20);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

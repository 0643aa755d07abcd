import { addAbortSignal, Readable } from 'node:stream';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ObjectStore, ObjectWriter } from '#kernel/ports/object-store';
import type { NodeAgents } from '../http/node-agents.ts';
import { type S3ErrorFacts, s3ErrorFacts } from './s3-error-facts.ts';

export interface S3Place {
  readonly bucket: string;
  /** Before the path of each file; empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string | undefined;
  /** Of another server than Amazon's. */
  readonly endpoint: string | undefined;
  readonly agents: NodeAgents;
}

/** The least size of a part but the last one, as S3 demands, is 5 MiB. */
const partBytes = 8 * 1024 * 1024;
const deadlineMs = 120_000;
const attempts = 6;

type Sdk = typeof import('@aws-sdk/client-s3');

interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly place: S3Place;
}

/** A part of a bucket. Its credentials are those that every program of Amazon finds in its environment. */
export async function openS3Objects(place: S3Place): Promise<ObjectStore> {
  const sdk = await loadSdk();
  const bucket: Bucket = { sdk, client: clientOf(sdk, place), place };
  await requireRegion(bucket.client);
  return {
    name: `s3://${place.bucket}/${place.prefix}`,
    list: (prefix) => asking(toList, () => listObjects(bucket, prefix)),
    async readText(name) {
      const bytes = await asking(toRead(name), () => readObject(bucket, name, undefined));
      return bytes ? Buffer.from(bytes).toString('utf8') : null;
    },
    async read(name, from, to) {
      if (from === to) return new Uint8Array();
      const bytes = await asking(toRead(name), () => readObject(bucket, name, `bytes=${from}-${to - 1}`));
      if (bytes?.length === to - from) return bytes;
      throw unavailable(`has ${bytes?.length ?? 0} of ${to - from} bytes of ${name}`, {});
    },
    create: async (name) => createObject(bucket, name),
    async remove(name) {
      const command = new sdk.DeleteObjectCommand({ Bucket: place.bucket, Key: place.prefix + name });
      await asking(toRemove(name), () => bucket.client.send(command, deadline()));
    },
  };
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw cloudError(
      'ARCHIVE_STORE_PACKAGE_MISSING',
      'The package "@aws-sdk/client-s3" cannot be loaded.',
      'Install it beside vendor-cloud: npm install @aws-sdk/client-s3',
      { cause },
    );
  }
}

function clientOf({ S3Client }: Sdk, { region, endpoint, agents }: S3Place): S3Client {
  const usedRegion = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  return new S3Client({
    maxAttempts: attempts,
    requestHandler: agents,
    // Other servers than Amazon's do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(usedRegion === undefined ? {} : { region: usedRegion }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  });
}

/** The client looks for one in the environment and in a profile, and says that there is none in an error without a code. */
async function requireRegion(client: S3Client): Promise<void> {
  try {
    await client.config.region();
  } catch {
    throw cloudError(
      'ARCHIVE_STORE_REFUSED',
      'Nothing says which region the bucket of the archive is in.',
      'Put ?region=… behind its address, or set AWS_REGION.',
    );
  }
}

async function listObjects({ sdk, client, place }: Bucket, prefix: string) {
  const found: { readonly path: string; readonly bytes: number }[] = [];
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const command = new sdk.ListObjectsV2Command({
      Bucket: place.bucket,
      Prefix: place.prefix + prefix,
      ...(next === undefined ? {} : { ContinuationToken: next }),
    });
    const page = await client.send(command, deadline());
    for (const { Key = '', Size = 0 } of page.Contents ?? []) {
      // Consoles of servers make an empty object of such a name for a folder.
      if (Key.endsWith('/') && Size === 0) continue;
      found.push({ path: Key.slice(place.prefix.length), bytes: Size });
    }
    next = page.NextContinuationToken;
  }
  return found;
}

async function readObject({ sdk, client, place }: Bucket, name: string, range: string | undefined) {
  const { abortSignal } = deadline();
  const command = new sdk.GetObjectCommand({
    Bucket: place.bucket,
    Key: place.prefix + name,
    ...(range === undefined ? {} : { Range: range }),
  });
  try {
    const { Body } = await client.send(command, { abortSignal });
    // The client minds the signal until the answer begins.
    if (Body instanceof Readable) addAbortSignal(abortSignal, Body);
    return await Body?.transformToByteArray();
  } catch (error) {
    if (s3ErrorFacts(error).name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/** One request for a small file. Parts of a larger one, which the bucket joins at the end: until then there is no file. */
function createObject(bucket: Bucket, name: string): ObjectWriter {
  const { sdk, client, place } = bucket;
  const object = { Bucket: place.bucket, Key: place.prefix + name };
  const parts: CompletedPart[] = [];
  let waiting = Buffer.alloc(0);
  let upload: string | undefined;
  const send = async (body: Buffer) => {
    upload ??= (await client.send(new sdk.CreateMultipartUploadCommand(object), deadline())).UploadId;
    const part = { ...object, UploadId: upload, PartNumber: parts.length + 1 };
    const { ETag } = await client.send(new sdk.UploadPartCommand({ ...part, Body: body }), deadline());
    parts.push({ PartNumber: part.PartNumber, ...(ETag === undefined ? {} : { ETag }) });
  };
  return {
    write: (bytes) =>
      asking(toWrite(name), async () => {
        waiting = Buffer.concat([waiting, bytes]);
        for (; waiting.length >= partBytes; waiting = Buffer.from(waiting.subarray(partBytes))) {
          await send(waiting.subarray(0, partBytes));
        }
      }),
    complete: () =>
      asking(toWrite(name), async () => {
        if (upload === undefined) {
          await client.send(new sdk.PutObjectCommand({ ...object, Body: waiting }), deadline());
          return;
        }
        if (waiting.length > 0) await send(waiting);
        const command = { ...object, UploadId: upload, MultipartUpload: { Parts: parts } };
        await client.send(new sdk.CompleteMultipartUploadCommand(command), deadline());
        upload = undefined;
      }),
    async abort() {
      if (upload === undefined) return;
      const command = new sdk.AbortMultipartUploadCommand({ ...object, UploadId: upload });
      await asking(toGiveUp(name), () => client.send(command, deadline()));
    },
  };
}

function deadline() {
  return { abortSignal: AbortSignal.timeout(deadlineMs) };
}

/** What a bucket is asked for, and the right that the credentials need for it. */
interface Wish {
  readonly what: string;
  readonly right: string;
}

const toList: Wish = { what: 'to list its files', right: 's3:ListBucket' };
const toRead = (name: string): Wish => ({ what: `to read ${name}`, right: 's3:GetObject' });
const toWrite = (name: string): Wish => ({ what: `to write ${name}`, right: 's3:PutObject' });
const toRemove = (name: string): Wish => ({ what: `to remove ${name}`, right: 's3:DeleteObject' });
const toGiveUp = (name: string): Wish => ({ what: `to give up ${name}`, right: 's3:AbortMultipartUpload' });

/**
 * Ask the bucket. What it says of an error may name keys, signatures and hosts, so only its code and its status are reported, and it is no
 * cause.
 */
async function asking<Answer>(wish: Wish, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw storeError(s3ErrorFacts(error), wish);
  }
}

function storeError({ name, status, unanswered }: S3ErrorFacts, { what, right }: Wish): CloudError {
  const safeDetails = { storeError: name, ...(status === undefined ? {} : { storeStatus: status }) };
  if (unanswered) return unavailable(`cannot be reached: ${unanswered.why}`, safeDetails, unanswered.step);
  // A body that ends too soon has the status of its beginning.
  if (status === 429 || status === 200 || status === 206 || (status !== undefined && status >= 500 && status !== 501)) {
    return unavailable(`answered ${status} (${name})`, safeDetails);
  }
  if (name === 'CredentialsProviderError') {
    return cloudError(
      'ARCHIVE_STORE_REFUSED',
      'There are no credentials for the bucket of the archive.',
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.',
      { safeDetails },
    );
  }
  return cloudError(
    'ARCHIVE_STORE_REFUSED',
    `The bucket of the archive refuses ${what} (${name}).`,
    name === 'AccessDenied'
      ? `Give the credentials the right ${right} for this bucket.`
      : 'Check the name, the region and the endpoint of the bucket, and the rights of the credentials.',
    { safeDetails },
  );
}

function unavailable(
  what: string,
  safeDetails: Readonly<Record<string, string | number>>,
  step = 'Run the command again: months that are complete are left as they are.',
): CloudError {
  return cloudError('ARCHIVE_STORE_UNAVAILABLE', `The bucket of the archive ${what}.`, step, { safeDetails });
}

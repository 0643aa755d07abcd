import { addAbortSignal, Readable } from 'node:stream';
import type { ObjectCannedACL, S3Client } from '@aws-sdk/client-s3';
import type { NodeAgents } from '#node/http/node-agents';
import { isMissingFile, loadClient, withoutStoreWords } from './bucket-errors.ts';
import type { FileBucketOptions } from './file-field.ts';

const usualDeadlineMs = 60_000;

export interface NewFile {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly contentDisposition: string;
  readonly acl: string | undefined;
  /** Whether the file may take the place of another one. */
  readonly mayReplace: boolean;
}

interface KeptFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** The files of a bucket. The client is loaded and connected when it is first used. */
export interface FileBucket {
  put(file: NewFile): Promise<void>;
  /** `undefined` where there is no such file, or where `isWanted` does not want one of its size. */
  get(key: string, isWanted: (sizeBytes: number) => boolean): Promise<KeptFile | 'unwanted' | undefined>;
  remove(key: string): Promise<void>;
  /** Where a client reads the file. */
  urlOf(key: string, lifetimeSeconds: number): Promise<string>;
}

/** What a bucket is reached with; asked for when it is first used. */
export type OpenAgents = () => NodeAgents;

/** @param deadlineMs how long the store may take for one answer. */
export function openFileBucket(
  options: FileBucketOptions,
  openAgents: OpenAgents,
  deadlineMs = usualDeadlineMs,
): FileBucket {
  const { name: Bucket, publicUrl } = options;
  let opened: Promise<{ readonly sdk: typeof import('@aws-sdk/client-s3'); readonly client: S3Client }> | undefined;
  const open = () => {
    opened ??= loadClient(() => import('@aws-sdk/client-s3')).then((sdk) => ({
      sdk,
      client: clientOf(sdk, options, openAgents()),
    }));
    return opened;
  };
  const deadline = () => ({ abortSignal: AbortSignal.timeout(deadlineMs) });
  return {
    async put({ key: Key, bytes, contentType, contentDisposition, acl, mayReplace }) {
      const { sdk, client } = await open();
      const command = new sdk.PutObjectCommand({
        Bucket,
        Key,
        Body: bytes,
        ContentType: contentType,
        ContentDisposition: contentDisposition,
        ...(acl === undefined ? {} : { ACL: acl as ObjectCannedACL }),
        ...(mayReplace ? {} : { IfNoneMatch: '*' }),
      });
      await withoutStoreWords(() => client.send(command, deadline()));
    },
    async get(Key, isWanted) {
      const { sdk, client } = await open();
      return withoutStoreWords(async () => {
        const { abortSignal } = deadline();
        const asked = client.send(new sdk.GetObjectCommand({ Bucket, Key }), { abortSignal });
        const found = await missingAsUndefined(asked);
        if (!found?.Body) return undefined;
        // The client minds the signal until the answer begins.
        if (found.Body instanceof Readable) addAbortSignal(abortSignal, found.Body);
        if (!isWanted(found.ContentLength ?? Number.POSITIVE_INFINITY)) {
          if (found.Body instanceof Readable) found.Body.destroy();
          return 'unwanted';
        }
        const bytes = await found.Body.transformToByteArray();
        return { bytes, contentType: found.ContentType ?? 'application/octet-stream' };
      });
    },
    async remove(Key) {
      const { sdk, client } = await open();
      await withoutStoreWords(() => client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), deadline()));
    },
    async urlOf(Key, lifetimeSeconds) {
      if (publicUrl !== undefined) return `${publicUrl.replace(/\/$/, '')}/${inPath(Key)}`;
      const { sdk, client } = await open();
      const { getSignedUrl } = await loadClient(() => import('@aws-sdk/s3-request-presigner'));
      const command = new sdk.GetObjectCommand({ Bucket, Key });
      return withoutStoreWords(() => getSignedUrl(client, command, { expiresIn: lifetimeSeconds }));
    },
  };
}

function clientOf(
  { S3Client }: typeof import('@aws-sdk/client-s3'),
  { region, endpoint, forcePathStyle = false, credentials }: FileBucketOptions,
  { httpAgent, httpsAgent }: NodeAgents,
): S3Client {
  const usedRegion = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  return new S3Client({
    forcePathStyle,
    requestHandler: { httpAgent, httpsAgent },
    // Other servers than Amazon's do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(usedRegion === undefined ? {} : { region: usedRegion }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined
      ? {}
      : {
          credentials:
            typeof credentials === 'function' ? async () => ({ ...(await credentials()) }) : { ...credentials },
        }),
  });
}

async function missingAsUndefined<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

function inPath(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

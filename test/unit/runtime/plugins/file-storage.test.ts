import { describe, expect, it } from 'vitest';
import { loadClient, withoutStoreWords } from '#runtime/plugins/file-storage/bucket-errors';
import { fileFieldOf } from '#runtime/plugins/file-storage/file-field';

const bucket = { name: 'papers' };

describe('the options of a field of files', () => {
  it.each([
    [undefined, 'needs "columnName" and "bucket"'],
    [{ columnName: 'key' }, 'The option "bucket" of createFileField'],
    [{ columnName: 'key', bucket, deleteFile: true }, 'Did you mean "deleteFiles"?'],
    [{ columnName: 'key', bucket: { name: 'papers', endpoint: 'files' } }, '"bucket.endpoint"'],
    [{ columnName: 'key', bucket, urlLifetimeSeconds: 604_801 }, '"urlLifetimeSeconds"'],
    [{ columnName: 'key', bucket, allowedTypes: ['pdf'] }, 'must be a media type such as "image/*"'],
    [{ columnName: 'key', bucket, storeAt: 'papers/' }, 'must be a function'],
  ])('are refused where they are %j', (options, reason) => {
    expect(() => fileFieldOf(options as never)).toThrow(reason);
  });

  it('are refused without a word of a secret', () => {
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 4711 };
    const options = { columnName: 'key', bucket: { ...bucket, credentials } };
    expect(() => fileFieldOf(options as never)).toThrow(/^(?!.*(?:AKIA|4711)).*"bucket\.credentials/);
  });
});

describe('an error of the store', () => {
  it.each([
    [Object.assign(new Error('x'), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } }), 'FILE_STORE_REFUSED'],
    [Object.assign(new Error('x'), { name: 'CredentialsProviderError' }), 'FILE_STORE_REFUSED'],
    [
      Object.assign(new Error('x'), { name: 'NotImplemented', $metadata: { httpStatusCode: 501 } }),
      'FILE_STORE_REFUSED',
    ],
    [Object.assign(new Error('x'), { name: 'SlowDown', $metadata: { httpStatusCode: 503 } }), 'FILE_STORE_UNAVAILABLE'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'FILE_STORE_UNAVAILABLE'],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), 'FILE_STORE_UNAVAILABLE'],
  ])('%s is ours: %s', async (error, code) => {
    const told = withoutStoreWords(() => Promise.reject(error));
    await expect(told).rejects.toMatchObject({ code });
    await expect(told).rejects.not.toHaveProperty('cause');
  });

  it('says what to install where the client is missing', async () => {
    const missing = loadClient(() => Promise.reject(new Error('Cannot find package')));
    await expect(missing).rejects.toMatchObject({
      code: 'FILE_STORE_PACKAGE_MISSING',
      nextSteps: [expect.stringContaining('npm install @aws-sdk/client-s3')],
    });
  });
});

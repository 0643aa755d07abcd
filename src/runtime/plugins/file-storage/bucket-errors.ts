import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { type S3ErrorFacts, s3ErrorFacts } from '#node/objects/s3-error-facts';

/** Load the client of the protocol, which is installed only where somebody stores files. */
export async function loadClient<Client>(load: () => Promise<Client>): Promise<Client> {
  try {
    return await load();
  } catch (cause) {
    throw cloudError(
      'FILE_STORE_PACKAGE_MISSING',
      'The packages "@aws-sdk/client-s3" and "@aws-sdk/s3-request-presigner" cannot be loaded.',
      'Install them beside the agent: npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner',
      { cause },
    );
  }
}

/**
 * Ask the store. What it says of an error may name keys, signatures and hosts, so only its code and its status are reported, and it
 * is not a cause.
 */
export async function withoutStoreWords<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw storeError(s3ErrorFacts(error));
  }
}

/** Whether the store has no such file. */
export function isMissingFile(error: unknown): boolean {
  return s3ErrorFacts(error).name === 'NoSuchKey';
}

function storeError({ name, status, unanswered }: S3ErrorFacts): CloudError {
  const safeDetails = { storeError: name, ...(status === undefined ? {} : { storeStatus: status }) };
  if (status === 412 || name === 'ConditionalRequestConflict') {
    return cloudError(
      'FILE_KEY_TAKEN',
      'Another file has the key that "storeAt" gives to this one.',
      'Let "storeAt" give a key that no other file has, or set "overwrite".',
      { safeDetails },
    );
  }
  if (unanswered) {
    const said = `The store of files cannot be reached: ${unanswered.why}.`;
    return cloudError('FILE_STORE_UNAVAILABLE', said, unanswered.step, { safeDetails });
  }
  if (status === 429 || (status !== undefined && status >= 500 && status !== 501)) {
    return cloudError(
      'FILE_STORE_UNAVAILABLE',
      `The store of files answered ${status} (${name}).`,
      'Try again in a moment.',
      { safeDetails },
    );
  }
  return cloudError(
    'FILE_STORE_REFUSED',
    `The store of files refuses the agent (${name}).`,
    'Check the name, the region and the endpoint of the bucket, and the rights of its credentials.',
    { safeDetails },
  );
}

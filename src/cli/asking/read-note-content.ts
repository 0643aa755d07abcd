import { maxContentBytes } from '#contracts/notes';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** What the flag says, or else what stands on stdin. Throws `USAGE_INVALID` where a person sits at it. */
export async function readContent(
  flags: { readonly content?: string | undefined },
  { isInputTerminal, input }: { readonly isInputTerminal: boolean; readonly input: AsyncIterable<Uint8Array> },
): Promise<string> {
  if (flags.content !== undefined) return flags.content;
  if (isInputTerminal) {
    throw cloudError(
      'USAGE_INVALID',
      'The message says nothing.',
      'Add --content, or pipe the content into the command.',
    );
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of input) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > maxContentBytes) throw tooLong();
  }
  return Buffer.concat(parts).toString('utf8').trim();
}

function tooLong(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The content on stdin has more than ${maxContentBytes} bytes.`,
    'Write less, or write several messages.',
  );
}

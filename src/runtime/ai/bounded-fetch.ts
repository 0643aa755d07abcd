/** Bytes of an answer, unpacked. A long conversation has a hundredth of it. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** A `fetch` whose answers end with an error where they are too long: the clients of providers and of tool servers read all of them into memory. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const { body, status, statusText, headers, url, redirected } = await fetch(input, init);
  const answer = new Response(body && bounded(body), { status, statusText, headers });
  // Where an answer comes from is not an option of a response.
  return Object.defineProperties(answer, { url: { value: url }, redirected: { value: redirected } });
};

/**
 * The same for the provider of a model, which redirects nowhere: the conversation, and of some clients the key, would go to an address
 * that nobody has named.
 */
export const providerFetch: typeof fetch = (input, init) => boundedFetch(input, { ...init, redirect: 'error' });

function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxAnswerBytes)
          controller.error(new RangeError(`The answer has more than ${maxAnswerBytes} bytes.`));
        else controller.enqueue(chunk);
      },
    }),
  );
}

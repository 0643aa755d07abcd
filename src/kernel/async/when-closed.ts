/** An answer on its way, as Node.js has it. */
interface ClosingResponse {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Call `then` once a response is over: now, where its client went away while the request was looked at. Its event is past then. */
export function whenClosed(response: ClosingResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}

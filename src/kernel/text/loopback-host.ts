/** Whether the host of an address is this machine: `localhost`, `127.0.0.1` and its like, or `[::1]`, as `URL` writes them. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

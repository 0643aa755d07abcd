import { cloudError } from '#kernel/errors/cloud-error';

/**
 * Let debuggers into this process and its workers, on loopback. Node.js writes the address to stderr.
 *
 * @throws `MACHINE_PORT_IN_USE`
 */
export async function openInspector(port: number): Promise<void> {
  const inspector = await import('node:inspector');
  inspector.open(port, '127.0.0.1');
  // A port that is taken is no error of the call.
  if (inspector.url() !== undefined) return;
  throw cloudError(
    'MACHINE_PORT_IN_USE',
    `The debugger cannot have port ${port}.`,
    'Name another one: --inspect --inspect-port 0',
    { safeDetails: { port } },
  );
}

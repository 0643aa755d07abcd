import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from '#kernel/ports/random';

export const systemRandom: Random = {
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  uuid: randomUUID,
};

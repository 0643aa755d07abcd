import type { WithVariable } from '#kernel/ports/with-variable';

export const withVariable: WithVariable = (name, value, work) => {
  if (process.env[name] !== undefined) return work();
  process.env[name] = value;
  try {
    return work();
  } finally {
    delete process.env[name];
  }
};

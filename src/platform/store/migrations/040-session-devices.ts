import { dialects, type Migration } from './migration.ts';

/** With which browser somebody signed in, and when that was used last. What is there already tells neither. */
export const sessionDevices: Migration = (engine) => {
  const { integer, text } = dialects[engine];
  return `
  alter table sign_ins add column user_agent ${text};
  alter table sign_ins add column last_used_at ${integer};
  alter table tokens add column last_used_at ${integer}`;
};

import type { PlatformUser, RenderingPermissions } from '#contracts/permissions';

// The name of a tag may be any text. A placeholder that the pattern missed would stay in the condition as a text.
const wholePlaceholder = /^\{\{\s*currentUser\.([^{}]+?)\s*\}\}$/;
const placeholders = /\{\{\s*currentUser\.([^{}]+?)\s*\}\}/g;

/** A placeholder that names something the user does not have. */
export class UnknownPlaceholder extends Error {}

/**
 * Replace `{{currentUser.…}}` in every text of a scope. A text that is only one placeholder becomes the value itself, so a
 * number stays a number; inside a longer text the value becomes text.
 */
export function fillPlaceholders(value: unknown, user: PlatformUser, team: RenderingPermissions['team']): unknown {
  if (typeof value === 'string') return fillText(value, user, team);
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, user, team));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillPlaceholders(inner, user, team)]));
}

function fillText(text: string, user: PlatformUser, team: RenderingPermissions['team']): unknown {
  const whole = wholePlaceholder.exec(text)?.[1];
  if (whole !== undefined) return propertyOf(whole, user, team);
  return text.replaceAll(placeholders, (_match, path: string) => String(propertyOf(path, user, team)));
}

function propertyOf(path: string, user: PlatformUser, team: RenderingPermissions['team']): unknown {
  const properties = new Map<string, unknown>(Object.entries(user).filter(([name]) => name !== 'tags'));
  for (const [name, value] of Object.entries(team)) properties.set(`team.${name}`, value);
  for (const [name, value] of Object.entries(user.tags)) properties.set(`tags.${name}`, value);
  if (!properties.has(path)) throw new UnknownPlaceholder(`currentUser.${path}`);
  return properties.get(path);
}

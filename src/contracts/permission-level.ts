export const permissionLevels = ['admin', 'developer', 'editor', 'user'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

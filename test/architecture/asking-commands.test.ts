import { describe, expect, it } from 'vitest';
import manifest from '../../oclif.manifest.json' with { type: 'json' };

/** Every command by whether it asks first, with the reason where it does not. A new command needs a place here. */
const commands = {
  'takes away or replaces what others use': [
    ...['audit:undo', 'permissions:apply', 'permissions:set', 'promote', 'rollback', 'data:reset'],
    ...[
      'people:deactivate',
      'people:reset-factors',
      'platform:erase-person',
      'platform:reset-factors',
      'scim:revoke',
      'tokens:revoke',
      'tokens:rotate',
      'mcp:clients:revoke',
      'mcp:clients:set',
      'variables:unset',
    ],
  ],
  'reads, or writes a file that it is asked for': [
    ...[
      'audit:archive',
      'audit:export',
      'audit:key',
      'audit:prove',
      'audit:search',
      'audit:segments',
      'audit:tail',
      'audit:verify',
      'check',
      'completion',
      'config:explain',
    ],
    ...[
      'data-sources:list',
      'data-sources:test',
      'data:export',
      'doctor',
      'env:list',
      'explain',
      'insights',
      'logs',
      'mcp:clients:list',
      'mcp:marks:list',
    ],
    ...[
      'mcp:tools',
      'notes:get',
      'notes:inbox',
      'notes:list',
      'permissions:diff',
      'permissions:explain',
      'permissions:list',
      'plan',
    ],
    ...['permissions:suggest', 'elevations:list', 'approvals:list', 'approvals:show'],
    ...['platform:backup', 'platform:verify', 'run:chart', 'run:count', 'run:list', 'schema', 'tokens:list'],
    ...[
      'factors:list',
      'groups:list',
      'scim:list',
      'people:list',
      'roles:list',
      'teams:list',
      'variables:list',
      'versions',
      'whoami',
    ],
  ],
  'changes this copy of the project or the sign-in of the person only': [
    ...[
      'bootstrap',
      'build',
      'data-sources:add',
      'data-sources:refresh',
      'demo',
      'env:use',
      'generate:action',
      'generate:chart',
    ],
    ...[
      'generate:field',
      'generate:hook',
      'generate:plugin',
      'generate:segment',
      'generate:test',
      'link',
      'login',
      'logout',
    ],
    ...['factors:remove', 'factors:rename', 'sign-in-link', 'update-typings', 'upgrade'],
  ],
  'serves until it ends': ['dev', 'exec', 'mcp', 'platform:start', 'sandbox', 'serve'],
  'adds, and takes nothing away': [
    ...[
      'audit:cosign',
      'data:import',
      'data:seed',
      'notes:create',
      'notes:reply',
      'people:invite',
      'people:reset-password',
    ],
    ...[
      'scim:create',
      'teams:create',
      'tokens:create',
      'tokens:print',
      'elevate',
      'elevations:grant',
      'approvals:comment',
    ],
  ],
  'takes away what nobody uses': ['teams:remove', 'elevations:refuse', 'approvals:refuse', 'approvals:withdraw'],
  'gives back what somebody has for a time': ['elevations:end'],
  'writes into an empty place only': ['platform:migrate', 'platform:restore'],
  'is undone by the same command': [
    'permissions:watch',
    'notes:archive',
    'notes:update',
    'people:set',
    'roles:set',
    'groups:map',
    'groups:unmap',
  ],
  'shows what it would do with plan and --dry-run, and is undone by rollback': ['push'],
  'is used from the next deployment on; what is live keeps its value': ['variables:set'],
  'asks at a terminal only: an assistant could use a flag that answers': [
    'mcp:approve',
    'mcp:marks:clear',
    'approvals:grant',
  ],
  'carries out what the person names, which has confirmations of its own': ['mcp:call', 'run:action'],
};

describe('the table of asking commands', () => {
  it('has every command in one row', () => {
    expect(Object.values(commands).flat().sort()).toEqual(Object.keys(manifest.commands).sort());
  });

  it('lists the commands that ask, and each of them takes an answer from a script', () => {
    const asking = Object.values(manifest.commands).filter(({ flags }) => 'yes' in flags || 'confirm' in flags);
    expect(asking.map(({ id }) => id).sort()).toEqual(commands['takes away or replaces what others use'].toSorted());
  });
});

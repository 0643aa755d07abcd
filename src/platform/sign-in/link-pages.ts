import type { FastifyInstance } from 'fastify';
import { acceptInvitationSchema, usePasswordResetSchema } from '#contracts/people';
import type { InvitationService } from '../invitations/invitation-service.ts';
import type { PasswordService } from '../passwords/password-service.ts';
import { parseInput } from '../server/parse-input.ts';
import { registerLinkPage } from './link-page.ts';

/** The pages that the links of invitations and of new passwords open. */
export function registerLinkPages(
  server: FastifyInstance,
  invitations: InvitationService,
  passwords: PasswordService,
): void {
  registerLinkPage(server, {
    path: '/join',
    title: 'Join the project',
    action: 'Join',
    fields: [
      { name: 'firstName', label: 'First name', autocomplete: 'given-name' },
      { name: 'lastName', label: 'Last name', autocomplete: 'family-name' },
    ],
    submit: async (form, address) => {
      await invitations.accept(parseInput(acceptInvitationSchema, form), address);
      return {
        title: 'You have joined',
        html: '<p>Sign in with your e-mail and your password from now on.</p>',
      };
    },
  });
  registerLinkPage(server, {
    path: '/reset',
    title: 'Set a new password',
    action: 'Set the password',
    fields: [],
    submit: async (form, address) => {
      await passwords.useReset(parseInput(usePasswordResetSchema, form), address);
      return {
        title: 'Your password is set',
        html: '<p>You are signed out everywhere. Sign in with the new password.</p>',
      };
    },
  });
}

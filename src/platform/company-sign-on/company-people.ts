import type { InvitationRepository } from '../invitations/invitation-repository.ts';
import type { PasswordRepository } from '../passwords/password-repository.ts';
import type { CompanyPerson } from './company-sign-on.ts';

/** Who somebody is that the company's provider vouches for. */
export interface CompanyPeople {
  /**
   * The person of that e-mail. Open invitations of the project are accepted. `undefined` for somebody who was never invited.
   *
   * @param projectId every project where it is `undefined`.
   * @param address where the person comes from.
   */
  resolve(
    person: CompanyPerson,
    projectId: number | undefined,
    address: string | undefined,
  ): Promise<number | undefined>;
}

export function createCompanyPeople(accounts: PasswordRepository, invitations: InvitationRepository): CompanyPeople {
  return {
    resolve: async ({ email, firstName, lastName }, projectId, address) => {
      for (const invitation of await invitations.listOpen(email)) {
        if (projectId === undefined || invitation.projectId === projectId) {
          const author = { initiator: 'identityProvider', address } as const;
          await invitations.accept(invitation, { firstName, lastName }, () => author);
        }
      }
      return (await accounts.findByEmail(email))?.userId;
    },
  };
}

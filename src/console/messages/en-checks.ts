/** The sentences about what stands in the way. */
export const checks = {
  mayNot: 'You may not see this',
  mayNotWhy: 'Administrators and developers of the project see it.',
  looking: 'Looking at the machine, the project and the platform',
  lookedAt: (time: string) => `As it was at ${time}`,
  lookAgain: 'Look again',
  nobodyLooks: 'This platform does not look',
  nobodyLooksWhy: 'It is part of another program. Run "vendor-cloud doctor" on its machine.',
  healthy: 'Nothing is in the way',
  warned: 'Nothing is in the way, but there are warnings',
  healthyInPart: (skipped: number) =>
    `Nothing is in the way as far as somebody could look: ${skipped} of these ${skipped === 1 ? 'was' : 'were'} left out`,
  unhealthy: 'Something is in the way',
  state: 'State',
  check: 'Looked at',
  found: 'Found',
  statuses: { ok: 'fine', warning: 'warning', failed: 'failed', skipped: 'not looked at' },
};

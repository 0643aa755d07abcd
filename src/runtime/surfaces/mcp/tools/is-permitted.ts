import { isCloudError } from '#kernel/errors/cloud-error';

/** Whether the authoriser permits what it was asked for. Rejects with what kept it from deciding. */
export async function isPermitted(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_FORBIDDEN') return false;
    throw error;
  }
}

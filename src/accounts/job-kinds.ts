/** Kinds of jobs that concern accounts. */
export const accountJob = {
  welcome: 'mail_welcome',
  emailChange: 'mail_email_change',
  emailChangeNotice: 'mail_email_change_notice',
  passwordReset: 'mail_password_reset',
  destroy: 'destroy_account',
  invitation: 'mail_invitation',
  newMember: 'mail_new_member',
} as const;

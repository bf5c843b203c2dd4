const pattern = /^(?:::ffff:)?127\.0\.0\.1$|^::1$/;

/** Whether an address is this machine's own: its requests are never limited. [reference 1.9] */
export const isLoopback = (address: string): boolean => pattern.test(address);


qbackend.backend_config @x {}

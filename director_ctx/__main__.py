from director_ctx.doors.cli.main import main

raise SystemExit(main())
